/** Devices that this run has, or has asked for. */
export interface DeviceBook {
  /**
   * The keeper's word, by the path of the step that asked: null when the device is its own, else why it never will be.
   */
  answers: Map<string, string | null>;
  /** Leases of devices that later steps of this run need as they are now, each with the device's own key. */
  kept: Map<string, string>;
}
