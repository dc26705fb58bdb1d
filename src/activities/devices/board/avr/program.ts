import {
  AVRIOPort,
  AVRTimer,
  AVRUSART,
  CPU,
  avrInstruction,
  portBConfig,
  portCConfig,
  portDConfig,
  timer0Config,
  timer1Config,
  timer2Config,
  usart0Config,
} from 'avr8js';
import type { Running } from '../chip/chip.js';

const HERTZ = 16e6;
/**
 * How often the simulation catches up with the clock, and how much it does at most then, so that input gets its turn.
 */
const SLICE_MS = 4;
const SLICE_CYCLES = 400_000;

/** Runs what stands in flash memory, in real time, with its timers, ports and first serial line. */
export function runProgram(flash: Uint8Array, send: (bytes: Uint8Array) => void): Running {
  const cpu = new CPU(new Uint16Array(flash.slice().buffer));
  for (const timer of [timer0Config, timer1Config, timer2Config]) new AVRTimer(cpu, timer);
  for (const port of [portBConfig, portCConfig, portDConfig]) new AVRIOPort(cpu, port);
  const serial = new AVRUSART(cpu, usart0Config, HERTZ);
  const input: number[] = [];
  serial.onByteTransmit = (byte) => send(Uint8Array.of(byte));
  const feed = (): void => {
    const [next] = input;
    if (next !== undefined && serial.writeByte(next)) input.shift();
  };
  serial.onRxComplete = feed;

  const started = performance.now();
  const timer = setInterval(() => {
    const now = ((performance.now() - started) / 1000) * HERTZ;
    const until = Math.min(now, cpu.cycles + SLICE_CYCLES);
    while (cpu.cycles < until) {
      avrInstruction(cpu);
      cpu.tick();
    }
  }, SLICE_MS);

  return {
    receive: (bytes) => {
      input.push(...bytes);
      feed();
    },
    stop: () => clearInterval(timer),
  };
}
