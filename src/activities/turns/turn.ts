import type { LogWriter } from '../../store/logs/line.js';
import type { Asking } from '../agents/ask-model.js';
import type { WholeTurn } from '../contract.js';
import type { OfferedTool } from '../models/protocol/message.js';
import type { ResumedLog } from '../attempt/resumed-log.js';
import type { Asker } from './asker.js';

/** A turn that begins. */
export interface Turn extends Omit<Asking, keyof ResumedLog>, Asker {
  log: LogWriter;
  call: WholeTurn;
  tools: OfferedTool[];
}
