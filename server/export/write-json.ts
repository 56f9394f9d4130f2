import type { TurnSummary } from '../../shared/stream-contracts.ts';
import type { WriteConversation } from './conversation.ts';
import { EXPORT_FORMAT, EXPORT_VERSION } from './exported-session.ts';

/** One entry a line, so that a long conversation can be read line by line too. */
export const writeJson: WriteConversation = async function* writeJson(head, parts) {
  const { id, title, cliType, createdAt, lastActiveAt } = head.session;
  const session = {
    id,
    title,
    cliType,
    createdAt,
    lastActiveAt,
    ...(head.projectPath && { projectPath: head.projectPath }),
  };
  const facts = { format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt: head.exportedAt, session };
  yield `${JSON.stringify(facts).slice(0, -1)},"entries":[`;
  const turns = new Map<string, TurnSummary>();
  let separator = '\n';
  for await (const part of parts) {
    for (const turn of part.turns) turns.set(turn.turnId, turn);
    for (const entry of part.entries) {
      yield `${separator}${JSON.stringify(entry)}`;
      separator = ',\n';
    }
  }
  yield `\n],"turns":[${[...turns.values()].map((turn) => `\n${JSON.stringify(turn)}`).join(',')}\n]}\n`;
};
