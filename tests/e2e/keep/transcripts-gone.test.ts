import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ScriptedModel } from '../../../scripted-model/index.ts';
import { systemClock } from '../../../server/clock.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { openKeep } from '../../../server/keep/keep.ts';
import { createLogger } from '../../../server/log.ts';
import { fromCanonical, toCanonical } from '../../../shared/ids.ts';
import { followSession } from '../../support/agents/follow-session.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createRig } from '../claude/rig.ts';
import { startCodex } from '../codex/codex-rig.ts';

/** Of each agent. The first is made by the agent, the others are copies of it with ids and code words of their own. */
const SESSIONS = Number(process.env.LIMINAL_TRANSCRIPTS_GONE ?? 4);
const FIRST_WORD = 'codeword-0000';
const wordOf = (number: number) => `codeword-${String(number).padStart(4, '0')}`;

interface Scene {
  readonly provider: CliProvider;
  readonly model: ScriptedModel;
  readonly projectDir: string;
  /** The folders with the transcripts. */
  readonly folders: readonly string[];
  /** An id as the agent makes them. */
  newId(like: string): string;
}

async function claudeScene(): Promise<Scene> {
  const rig = await createRig([]);
  onTestFinished(async () => void (await rig.close()));
  const folders = [join(rig.env.CLAUDE_CONFIG_DIR ?? '', 'projects')];
  const { provider, model, projectDir } = rig;
  return { provider, model, projectDir, folders, newId: () => randomUUID() };
}

async function codexScene(): Promise<Scene> {
  const rig = await startCodex();
  onTestFinished(() => rig.close());
  const folders = ['sessions', 'archived_sessions'].map((name) => join(rig.codexHome, name));
  // The beginning of an id is the time.
  const newId = (like: string) => `${like.slice(0, 15)}7${randomUUID().slice(15).replace(/^./, '')}`;
  return { provider: rig.provider(), model: rig.model, projectDir: rig.projectDir, folders, newId };
}

/** Makes a session with the agent, and others by copying its files. */
async function makeSessions({ provider, projectDir, newId }: Scene): Promise<string[]> {
  const { sessionId } = await provider.createSession({ projectDir });
  const made = followSession(provider, sessionId);
  expect((await made.turn(`Remember ${FIRST_WORD}.`)).type).toBe('turn_complete');
  expect((await made.turn('Go on.')).type).toBe('turn_complete');
  await provider.killSession(sessionId);
  const { cliType, nativeId } = fromCanonical(sessionId);
  const { files = [] } = (await provider.nativeFiles?.find(nativeId, projectDir)) ?? {};
  expect(files.length).toBeGreaterThan(0);
  const ids = [nativeId];
  for (let number = 1; number < SESSIONS; number += 1) {
    const id = newId(nativeId);
    ids.push(id);
    for (const { path } of files) {
      const text = readFileSync(path, 'utf8').replaceAll(nativeId, id).replaceAll(FIRST_WORD, wordOf(number));
      const copy = path.replaceAll(nativeId, id);
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, text);
    }
  }
  return ids.map((id) => toCanonical(cliType, id));
}

describe.each([
  { name: 'Claude Code', open: claudeScene },
  { name: 'Codex', open: codexScene },
])('$name', ({ open }) => {
  test(
    `keep/put-back after its transcripts are gone, ${SESSIONS} sessions are put back and go on with what was said`,
    async () => {
      const scene = await open();
      const { provider, model, projectDir } = scene;
      const keep = await openKeep({
        dataDir: scratchDirectory(),
        on: true,
        limitBytes: 1024 ** 3,
        clock: systemClock,
        log: createLogger('no token', () => {}),
        agents: () => [provider],
        projectDirs: () => [projectDir],
        projectDirOf: () => projectDir,
        onKept: () => {},
        onStatus: () => {},
        timing: { bytesPerSecond: Number.POSITIVE_INFINITY },
      });
      onTestFinished(() => keep.close());
      const sessionIds = await makeSessions(scene);
      await keep.copyAll();
      expect(await keep.status()).toMatchObject({ state: 'idle', sessions: SESSIONS });
      for (const folder of scene.folders) rmSync(folder, { recursive: true, force: true });

      for (const [number, sessionId] of sessionIds.entries()) {
        await expect(provider.loadSession(sessionId, { projectDir })).rejects.toMatchObject({
          code: 'SESSION_NOT_FOUND',
        });
        expect(await keep.putBack(sessionId), sessionId).toBeGreaterThan(0);
        const { history } = await provider.loadSession(sessionId, { projectDir });
        expect(JSON.stringify(history[0])).toContain(wordOf(number));
        const end = await followSession(provider, sessionId).turn(`What was it? ${number}`);
        expect(end, sessionId).toMatchObject({ type: 'turn_complete' });
        const asked = model.requests.findLast(({ body }) => JSON.stringify(body).includes(`What was it? ${number}`));
        expect(JSON.stringify(asked?.body), sessionId).toContain(`Remember ${wordOf(number)}.`);
        await provider.killSession(sessionId);
      }
    },
    60_000 + SESSIONS * 10_000,
  );
});
