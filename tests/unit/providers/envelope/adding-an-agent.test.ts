import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { readAgentsConfig } from '../../../../server/providers/agents-config.ts';
import { createUpsertStreamProcessor } from '../../../../server/streaming/upsert-stream-processor.ts';
import { streamEventEnvelopeSchema, streamEventPayloadSchema } from '../../../../shared/stream-events.ts';
import { createEnvelopeRig } from '../../../support/agents/envelope-rig.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { createOutputLog } from '../../../support/output-log.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

/** Real processes on a busy machine. */
vi.setConfig({ testTimeout: 30_000 });

const repositoryFile = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const page = readFileSync(repositoryFile('docs/adding-an-agent.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);

const echoAgent = () => createEnvelopeRig({ args: [repositoryFile('examples/echo-agent.mjs')] });

describe('the page about adding an agent', () => {
  const lines = blocks('jsonl').flatMap((block) => block.trim().split('\n'));

  it('shows events that fit the schema', () => {
    expect(lines).toHaveLength(12);
    for (const line of lines) expect(streamEventEnvelopeSchema.safeParse(JSON.parse(line)).error).toBeUndefined();
  });

  it('shows a turn that works as it says', () => {
    const log = createOutputLog();
    const processor = createUpsertStreamProcessor({
      sessionId: 'my-agent:s',
      clock: createManualClock(),
      onUpsert: log.onUpsert,
      onTurn: log.onTurn,
    });
    for (const line of lines) processor.process(JSON.parse(line));

    expect(log.outline()).toEqual([
      'turn_started',
      'thinking:complete',
      'tool_call:create',
      'tool_call:complete',
      'message:complete',
      'turn_complete',
    ]);
  });

  it('names every kind of event', () => {
    const types = streamEventPayloadSchema.options.map((option) => option.shape.type.value);
    expect(types).toHaveLength(8);
    for (const type of types) expect(page).toContain(`| \`${type}\` |`);
  });

  it('shows an entry that the server takes', async () => {
    const dataDir = scratchDirectory();
    writeFileSync(join(dataDir, 'agents.json'), blocks('json')[0] ?? '');
    const { agents, problems } = await readAgentsConfig(dataDir);
    expect(problems).toEqual([]);
    expect(agents).toMatchObject([{ cliType: 'echo', command: 'node', protocol: 'envelope' }]);
  });
});

describe('the example agent', () => {
  it('answers word by word', async () => {
    const rig = echoAgent();
    const sessionId = await rig.create();
    const turnId = await rig.ask(sessionId, 'to be or not to be');

    const contents = rig.output.contents(`${turnId}:agent:answer`);
    expect(contents[0]).toBe('to ');
    expect(contents.length).toBeGreaterThan(1);
    expect(contents.at(-1)).toBe('to be or not to be');
    expect(rig.output.turns(turnId)).toMatchObject([
      { type: 'turn_started', modelId: 'echo-1' },
      { type: 'turn_complete', status: 'completed', stopReason: 'end_turn' },
    ]);
    expect(rig.logLines).toEqual([]);
  });

  it('stops when it is told to', async () => {
    const rig = echoAgent();
    const sessionId = await rig.create();
    const { turnId } = await rig.provider.sendMessage(sessionId, 'word '.repeat(1000));
    await rig.until(() => rig.texts().includes('word '));
    await rig.provider.cancelTurn(sessionId);

    expect(rig.output.turns(turnId).at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(rig.provider.isAlive(sessionId)).toBe(true);
  });

  it('answers two messages at once', async () => {
    const rig = echoAgent();
    const sessionId = await rig.create();
    const turns = await Promise.all(['one two three', 'four five six'].map((text) => rig.ask(sessionId, text)));
    expect(turns.map((turnId) => rig.output.contents(`${turnId}:agent:answer`).at(-1))).toEqual([
      'one two three',
      'four five six',
    ]);
  });

  it('ends by itself when its session does', async () => {
    const rig = echoAgent();
    const sessionId = await rig.create();
    await rig.provider.sendMessage(sessionId, 'word '.repeat(1000));
    await rig.until(() => rig.texts().includes('word '));
    await rig.provider.killSession(sessionId);
    expect(rig.running()).toBe(0);
    expect(rig.output.turns().at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  });
});
