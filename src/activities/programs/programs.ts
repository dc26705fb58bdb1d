import type { ProgramName } from '../../plan/agents/program.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import type { Program } from './program.js';

/** Every program that can play an agent, one line each. */
export const PROGRAM: Record<ProgramName, Program> = { claude, codex, gemini };
