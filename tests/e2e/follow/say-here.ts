import { expect } from 'vitest';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { showSession } from '../keep/shown-window.ts';
import { type FollowScene, saidTexts } from './follow-scene.ts';
import { sentTexts } from './sent-messages.ts';
import { within } from './within.ts';

/** Sends a message through the product and checks that the model got what the page shows. */
export async function sayHere(scene: FollowScene, sessionId: string, prompt: string): Promise<void> {
  const window = await showSession(scene.server, sessionId);
  const turnId = await scene.server.send(sessionId, prompt);
  await within(
    `the end of ${prompt}`,
    window.until(({ turns }) => turns.get(turnId)?.status === 'completed'),
  );
  const entries = [...window.shownAt(Number.POSITIVE_INFINITY).items.values()];
  await window.close();
  expectSent(
    scene,
    prompt,
    entries.slice(
      0,
      entries.findIndex((entry) => entry.turnId === turnId),
    ),
  );
}

/** The model has to have what was shown, in the same order; after a compaction, what came after it. */
function expectSent(scene: FollowScene, prompt: string, entries: readonly UpsertObject[]): void {
  const request = scene.model.requests.findLast(({ conversation }) => conversation.prompt === prompt);
  const sent = sentTexts(request?.body ?? {}).flatMap((text) => {
    const command = /<command-name>(.*)<\/command-name>/.exec(text)?.[1];
    return /^(?:Answer to )?(?:say|slow) /.test(text) ? [text] : (command ?? []);
  });
  const compacted = entries.findLastIndex(
    (entry) => entry.type === 'message' && entry.content.includes('was compacted'),
  );
  const shown = [...saidTexts(entries.slice(compacted + 1)), prompt];
  if (compacted === -1) expect(sent).toEqual(shown);
  else expect(sent.slice(-shown.length)).toEqual(shown);
}
