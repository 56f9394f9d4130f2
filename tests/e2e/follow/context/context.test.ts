import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Context } from '../../../../shared/entities.ts';
import { toCanonical } from '../../../../shared/ids.ts';
import { followSession } from '../../../support/agents/follow-session.ts';
import { createRandom } from '../../../support/seeded-random.ts';
import { createClaudeSubject } from './claude-subject.ts';
import { createCodexSubject } from './codex-subject.ts';
import type { Base, Random, Sent, Subject } from './subject.ts';

const FAULTS = Number(process.env.LIMINAL_FAULTY_TRANSCRIPTS ?? 8);
const SEED = Number(process.env.LIMINAL_FAULTY_TRANSCRIPTS_SEED ?? 1);
/** Where transcripts of cases that failed are put, for a closer look. */
const KEEP = process.env.LIMINAL_FAULTY_TRANSCRIPTS_KEEP;

interface Planted {
  readonly nativeId: string;
  readonly paths: readonly string[];
}

/** Writes a copy of a conversation with other ids, and a fault in one of its files. */
function plant(subject: Subject, base: Base, fault: string, random: Random): Planted {
  const ids = base.ids.map((id) => [id, subject.newId(id)] as const);
  const renamed = (text: string) => ids.reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const faulty = random.below(base.files.length);
  const paths = base.files.map(({ path, text }, number) => {
    const copy = renamed(path);
    const change = number === faulty ? subject.faults[fault] : undefined;
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, renamed(change?.(text, random) ?? text));
    return copy;
  });
  return { nativeId: ids[0]?.[1] ?? '', paths };
}

/** Faults of whole files, and of programs. */
const HAPPENINGS: Readonly<Record<string, (subject: Subject, planted: Planted, random: Random) => unknown>> = {
  'killed while it wrote': (subject, { nativeId }, random) => subject.killWhileItWrites(nativeId, random),
  deleted: (_, { paths }) => paths.map((path) => rmSync(path)),
  emptied: (_, { paths }) => paths.map((path) => writeFileSync(path, '')),
  async 'deleted, looked at and restored'(subject, { nativeId, paths }) {
    const sessionId = toCanonical(subject.provider.cliType, nativeId);
    for (const path of paths) cpSync(path, `${path}.kept`);
    for (const path of paths) rmSync(path);
    await subject.provider.readContext(sessionId, subject.projectDir);
    for (const path of paths) cpSync(`${path}.kept`, path);
    for (const path of paths) rmSync(`${path}.kept`);
  },
};

/** Resolves to what is wrong, or to undefined. */
async function check(subject: Subject, { nativeId }: Planted, prompt: string): Promise<object | undefined> {
  const { provider, projectDir } = subject;
  const sessionId = toCanonical(provider.cliType, nativeId);
  const { context } = (await provider.readContext(sessionId, projectDir)) ?? {};
  const predicted = await subject.predict(nativeId);
  let refusal: unknown;
  try {
    await provider.loadSession(sessionId, { projectDir });
    await followSession(provider, sessionId).turn(prompt);
  } catch (error) {
    refusal = error;
  }
  await provider.killSession(sessionId);
  const sent = subject.sent(prompt);
  const isRight = sent === undefined ? isUncertain(context) : isSame(context, predicted, sent);
  return isRight
    ? undefined
    : { context, predicted, sent, refusal: refusal === undefined ? undefined : String(refusal) };
}

/** The agent does not open it, so that nothing can be said of what the model would get. */
const isUncertain = (context: Context | undefined) => context?.state === 'unknown' || context?.state === 'reset';

function isSame(context: Context | undefined, predicted: unknown, { messages, before }: Sent): boolean {
  const isCounted = context?.state !== 'unknown' && before.includes(context?.messages ?? -1);
  return isCounted && JSON.stringify(predicted) === JSON.stringify(messages);
}

test.each([
  { name: 'Claude Code', create: createClaudeSubject },
  { name: 'Codex', create: createCodexSubject },
])(
  `follow/context $name: after each of ${FAULTS} faults the receipt says what the model is then given`,
  async ({ create }) => {
    const subject = await create();
    onTestFinished(() => subject.close());
    const names = [...Object.keys(subject.faults), ...Object.keys(HAPPENINGS)];
    const failures: string[] = [];
    for (let number = 0; number < FAULTS; number += 1) {
      const random = createRandom(SEED * 1_000 + number);
      const base = random.pick(subject.bases);
      const fault = names[number % names.length] ?? '';
      const planted = plant(subject, base, fault, random);
      await HAPPENINGS[fault]?.(subject, planted, random);
      const before = planted.paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
      const wrong = await check(subject, planted, `probe ${number}`);
      if (wrong === undefined) continue;
      const name = `${number} ${base.name}: ${fault}`;
      failures.push(name);
      if (KEEP === undefined) continue;
      const folder = join(KEEP, `${subject.provider.cliType} ${name}`);
      mkdirSync(folder, { recursive: true });
      for (const [each, text] of before.entries()) writeFileSync(join(folder, `${each}.jsonl`), text);
      writeFileSync(join(folder, 'wrong.json'), JSON.stringify(wrong, null, 1));
    }
    expect(failures).toEqual([]);
  },
  60_000 + FAULTS * 10_000,
);
