/** Where large contents of a store are kept: a bucket that speaks S3. */
export interface BucketPlace {
  bucket: string;
  /** Begins the name of each object; empty for none. */
  prefix: string;
  region: string;
  /** Address of a server that is not Amazon's; null for theirs. */
  endpoint: string | null;
  /** Contents of more bytes go there. */
  aboveBytes: number;
  /** As the environment of whoever opened the store has them; null for what the client finds by itself. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null;
  /** A profile of `~/.aws`; null for the usual one. */
  profile: string | null;
}
