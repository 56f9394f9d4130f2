import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Driver } from '../../../server/engine/driver.ts';
import { createProcessHost, createProcessLedger } from '../../../server/processes/index.ts';
import { createAcpDriver } from '../../../server/providers/acp/acp-driver.ts';
import { createCodexAgent } from '../../../server/providers/acp/agents/codex-agent.ts';
import { createMemoryAliases } from '../../../server/providers/acp/session/session-aliases.ts';
import { createClaudeDriver } from '../../../server/providers/claude/claude-driver.ts';
import { scratchDirectory } from '../scratch-directory.ts';

/** The files of an agent in a home of their own, written as the agent writes them. */
export interface NativeHome {
  readonly driver: Driver;
  readonly home: string;
  /** Writes a conversation of one question. Returns the path of its file. */
  write(nativeId: string, cwd: string, question: string): string;
  /** Adds another question to the conversation. */
  ask(nativeId: string, cwd: string, question: string): void;
  /** Adds a sub-agent with this report. Returns the path of the file that has its steps. */
  addSubAgent(nativeId: string, cwd: string, agentId: string, report: string): string;
}

const problems = {
  onProblem(problem: string) {
    throw new Error(problem);
  },
};

const newHost = () => createProcessHost({ ledger: createProcessLedger(join(scratchDirectory(), 'ledger')) });

let count = 0;
const nextId = () => `row-${++count}`;
const timestamp = () => new Date(Date.UTC(2026, 0, 1) + ++count).toISOString();
const lines = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export function createClaudeHome(home = scratchDirectory()): NativeHome {
  const driver = createClaudeDriver({ host: newHost(), env: { CLAUDE_CONFIG_DIR: home }, ...problems });
  const folderOf = (nativeId: string, cwd: string) =>
    join(home, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'), nativeId);
  const lastOf = new Map<string, string>();

  function user(nativeId: string, cwd: string, content: unknown): object {
    const uuid = nextId();
    const parentUuid = lastOf.get(nativeId) ?? null;
    lastOf.set(nativeId, uuid);
    return { parentUuid, type: 'user', message: { role: 'user', content }, uuid, timestamp: timestamp(), cwd };
  }

  return {
    driver,
    home,
    write: (nativeId, cwd, question) =>
      put(
        `${folderOf(nativeId, cwd)}.jsonl`,
        lines({ type: 'queue-operation', operation: 'enqueue' }, user(nativeId, cwd, question)),
      ),
    ask(nativeId, cwd, question) {
      appendFileSync(`${folderOf(nativeId, cwd)}.jsonl`, lines(user(nativeId, cwd, question)));
    },
    addSubAgent(nativeId, cwd, agentId, report) {
      const folder = folderOf(nativeId, cwd);
      const call = { type: 'tool_use', id: `call-${agentId}`, name: 'Task', input: { description: 'look' } };
      const parentUuid = lastOf.get(nativeId);
      const uuid = nextId();
      lastOf.set(nativeId, uuid);
      const message = { role: 'assistant', id: `msg-${agentId}`, content: [call] };
      appendFileSync(
        `${folder}.jsonl`,
        lines({ parentUuid, type: 'assistant', message, uuid, timestamp: timestamp(), cwd }),
      );
      put(join(folder, 'subagents', `agent-${agentId}.meta.json`), JSON.stringify({ toolUseId: call.id }));
      const step = { role: 'assistant', id: `step-${agentId}`, content: [{ type: 'text', text: report }] };
      return put(
        join(folder, 'subagents', `agent-${agentId}.jsonl`),
        lines({ type: 'assistant', message: step, uuid: nextId(), timestamp: timestamp(), cwd }),
      );
    },
  };
}

export function createCodexHome(home = scratchDirectory(), aliases = createMemoryAliases()): NativeHome {
  const agent = createCodexAgent({ env: { CODEX_HOME: home } });
  const driver = createAcpDriver({ agent, host: newHost(), env: {}, version: '0', aliases, ...problems });
  const pathOf = (nativeId: string) =>
    join(home, 'sessions/2026/11/16', `rollout-2026-11-16T16-50-31-${nativeId}.jsonl`);
  const row = (type: string, payload: object) => ({ timestamp: timestamp(), type, payload });
  const item = (thread_id: string, shown: object) =>
    row('event_msg', { type: 'item_completed', thread_id, turn_id: 't', item: shown });
  const meta = (id: string, cwd: string, more: object = {}) =>
    row('session_meta', { id, ...more, cwd, source: 'vscode', base_instructions: { text: 'x'.repeat(20_000) } });
  const asked = (nativeId: string, text: string) =>
    item(nativeId, { type: 'UserMessage', id: nextId(), content: [{ type: 'text', text, text_elements: [] }] });

  return {
    driver,
    home,
    write: (nativeId, cwd, question) => put(pathOf(nativeId), lines(meta(nativeId, cwd), asked(nativeId, question))),
    ask(nativeId, _cwd, question) {
      appendFileSync(pathOf(nativeId), lines(asked(nativeId, question)));
    },
    addSubAgent(nativeId, cwd, agentId, report) {
      const activity = { type: 'SubAgentActivity', id: nextId(), kind: 'started', agent_thread_id: agentId };
      appendFileSync(pathOf(nativeId), lines(item(nativeId, { ...activity, agent_path: '/root/look' })));
      const parent = { parent_thread_id: nativeId };
      const said = { type: 'AgentMessage', id: nextId(), content: [{ type: 'Text', text: report }] };
      return put(pathOf(agentId), lines(meta(agentId, cwd, parent), item(agentId, said)));
    },
  };
}

/** Both agents that keep conversations in files of their own. */
export const nativeHomes = [
  { name: 'Claude Code', create: createClaudeHome },
  { name: 'Codex', create: createCodexHome },
] as const;
