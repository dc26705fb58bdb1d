import type { GateOfNotice, NoticeLink } from '../../plan/gates/notice.js';
import { personRefusal } from '../../plan/gates/gate.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import { grantLink, issueGrant, usualWords } from '../gates/grant.js';

const USUAL_MS = 7 * 24 * 3_600_000;
/** Of a gate with many approvers: others decide in their own way. */
const MOST_LINKS = 5;

/**
 * Links by which those decide who may, each in their name. A gate that anybody may decide has one, in the name of
 * `way`, by which it is told of.
 */
export async function noticeLinks(asked: GateOfNotice, way: string, key: ApprovalKey): Promise<NoticeLink[]> {
  const { pages, owner, gate } = asked;
  const people = (gate.approvers ?? [way]).filter((name) => personRefusal(name, gate) === null).slice(0, MOST_LINKS);
  const may = usualWords(gate);
  const deadline = gate.deadline === undefined ? Infinity : Date.parse(gate.deadline);
  const exp = Math.min(deadline, Date.now() + USUAL_MS);
  return Promise.all(
    people.map(async (to) => {
      const { path, since, hash } = gate;
      const token = await issueGrant({ ...owner, gate: path, since, hash, may, to, exp }, key);
      return { to, may, expires: new Date(exp).toISOString(), url: grantLink(pages, token) };
    }),
  );
}
