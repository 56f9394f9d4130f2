import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { exportData } from '../../../server/data-archive/export-data.ts';
import { importData } from '../../../server/data-archive/import-data.ts';
import { openStores } from '../../../server/open-stores.ts';
import { loadIdentity } from '../../../server/security/identity.ts';
import { loadToken } from '../../../server/security/token.ts';
import { variedConversation } from '../../support/agents/varied-conversation.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createRandom } from '../../support/seeded-random.ts';

const COUNT = Number(process.env.LIMINAL_EXPORTED_SESSIONS ?? 30);
const AT = '2026-01-01T00:00:00.000Z';

const open = (dataDir: string) =>
  openStores(dataDir, { warn: () => undefined, onError: () => undefined, journalThread: 'here' });

/** The files of the data directory that nothing in this test reads by other means. */
const others: Readonly<Record<string, string>> = {
  'agents.json': '{"version":1,"agents":[]}',
  'session-aliases.json': '{"version":1,"aliases":{}}',
  'sessions.json.corrupt-2026-01-01T00-00-00.000Z': 'moved aside',
  'envelope/other/s1.jsonl': '{"order":0}\n',
  'kept/claude-code/s1/data.gz': 'a kept copy',
};

function write(dataDir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dataDir, path, '..'), { recursive: true });
    writeFileSync(join(dataDir, path), content);
  }
}

it(`keep/export-all keep/import ${COUNT} sessions are the same after an export and an import`, async () => {
  const scratch = scratchDirectory();
  const [from, to, file] = ['from', 'to', 'archive.tar.gz'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(join(scratch, 'project'));
  const random = createRandom(12);
  const before = await open(from);
  const project = await before.projects.addProject(join(scratch, 'project'));
  const ids = Array.from({ length: COUNT }, (_, index) => `claude-code:s${index}`);
  for (const [index, id] of ids.entries()) {
    const facts = { id, projectId: project.id, cliType: 'claude-code', createdAt: AT, lastActiveAt: AT };
    const own = { title: `Session ${index} ✓`, archived: index % 7 === 0, pinned: index % 5 === 0, titleChosen: true };
    before.sessions.add({ ...facts, ...own }).catch(() => undefined);
    await before.journal.replace(id, variedConversation(id, 1 + random.below(8), random), `stamp-${index}`);
  }
  const sessions = [before.sessions.list(), before.sessions.listArchived(project.id)];
  const conversations = await Promise.all(ids.map((id) => before.journal.read(id)));
  await before.close();
  write(from, others);
  const secrets = [await loadToken(from), (await loadIdentity(from, () => undefined)).seed.toString('base64url')];
  write(from, {
    'running.json': 'machine',
    'server.log': 'machine',
    'server.log.1': 'machine',
    'lock/owner.json': 'machine',
    'processes/1.json': 'machine',
    'journal.sqlite.lock/x': 'machine',
    '.sessions.json.x.tmp': 'machine',
  });

  const exported = await exportData({ dataDir: from, file, program: '0', now: () => AT });
  mkdirSync(to, { mode: 0o700 });
  const imported = await importData({ file, dataDir: to });

  expect(imported).toEqual(exported);
  const after = await open(to);
  expect(after.projects.listProjects()).toEqual([project]);
  expect([after.sessions.list(), after.sessions.listArchived(project.id)]).toEqual(sessions);
  expect(sessions.flat()).toHaveLength(COUNT);
  for (const [index, id] of ids.entries()) {
    expect(await after.journal.read(id)).toEqual(conversations[index]);
    expect((await after.journal.open(id))?.stamp).toBe(`stamp-${index}`);
  }
  await after.close();
  for (const [path, content] of Object.entries(others)) expect(readFileSync(join(to, path), 'utf8')).toBe(content);
  const text = gunzipSync(readFileSync(file)).toString('latin1');
  for (const secret of [...secrets, 'machine']) expect(text).not.toContain(secret);
}, 120_000);

it('keep/export-all is refused where the file exists, and the file stays as it was', async () => {
  const scratch = scratchDirectory();
  const dataDir = join(scratch, 'data');
  write(dataDir, others);
  const file = join(scratch, 'taken');
  writeFileSync(file, 'precious');

  await expect(exportData({ dataDir, file, program: '0', now: () => AT })).rejects.toThrow(/exists already/);

  expect(readFileSync(file, 'utf8')).toBe('precious');
});
