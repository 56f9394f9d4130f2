import { onTestFinished } from 'vitest';
import type { DownloadedFile } from '../../../../../client/shell/server/api.ts';
import { startShell } from '../../../../../client/shell/shell.ts';
import type { KeepStatus, Project, ProviderInfo, SessionListItem } from '../../../../../shared/entities.ts';
import { toCanonical } from '../../../../../shared/ids.ts';
import type { PortletToShell } from '../../../../../shared/portlet-messages.ts';
import { installDialogs } from './dialogs.ts';
import { createSocketExchange, type SocketEnd, type SocketExchange } from './fake-socket.ts';
import { createManualTimers, type ManualTimers } from './manual-timers.ts';
import { createProvingServer, memoryKeyStore, type ProvingServer } from './proving-server.ts';

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const MINUTE = 60_000;

export interface FakeData {
  projects: Project[];
  sessions: SessionListItem[];
  providers: ProviderInfo[];
  demo: boolean;
  /** Archived sessions. */
  archived: SessionListItem[];
  kept: KeepStatus;
  /** Makes the session lists fail. */
  listsFail?: boolean;
}

export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly authorization: string | null;
}

export interface ShellRig {
  readonly data: FakeData;
  readonly server: ProvingServer;
  readonly keys: ReturnType<typeof memoryKeyStore>;
  readonly exchange: SocketExchange;
  readonly timers: ManualTimers;
  readonly calls: HttpCall[];
  /** Responses of the server by path. */
  readonly answers: Map<string, (call: HttpCall) => { status: number; body: unknown }>;
  /** Answers all requests if it is set. */
  readonly network: { answer: (() => Response | Promise<Response>) | null };
  /** The files that the user got. */
  readonly saved: readonly DownloadedFile[];
  readonly root: HTMLElement;
  /** Frames of one type that the page sent on its current socket. */
  sent(type: string): Record<string, unknown>[];
  say(frame: unknown): void;
  /** Waits until all pending responses have been handled. */
  settle(): Promise<void>;
  /** Connects and responds until the page has its lists. */
  connect(): Promise<void>;
  frame(sessionId: string): HTMLIFrameElement;
  /** The messages that the shell has posted to the page of a session. */
  posted(sessionId: string): Record<string, unknown>[];
  /** Posts a message as the page of a session would. */
  fromPortlet(sessionId: string, message: PortletToShell | unknown): void;
}

/** The whole shell in jsdom. The test controls the network, the time and the width of the window. */
export function startShellRig(
  initial: Partial<FakeData> = {},
  options: { hasKey?: boolean; narrow?: boolean } = {},
): ShellRig {
  installDialogs();
  const data: FakeData = {
    projects: [],
    sessions: [],
    providers: bothAgents,
    demo: false,
    archived: [],
    kept: nothingKept,
    ...initial,
  };
  const timers = createManualTimers();
  const calls: HttpCall[] = [];
  const answers: ShellRig['answers'] = new Map();
  const server = createProvingServer();
  const keys = memoryKeyStore(options.hasKey === false ? null : server.pageKey);
  const exchange = createSocketExchange((frame, end) => {
    if (!server.answer(frame, end)) answerFrame(data, frame, end);
  });
  const network: ShellRig['network'] = { answer: null };
  const saved: DownloadedFile[] = [];
  const posted = new Map<Window, Record<string, unknown>[]>();

  const root = document.createElement('div');
  root.id = 'shell';
  document.body.replaceChildren(root);

  const stop = startShell({
    root,
    window: window,
    storage: localStorage,
    windowStorage: sessionStorage,
    connect: exchange.connect,
    keys,
    newNonce: () => crypto.getRandomValues(new Uint8Array(32)),
    timers,
    now: () => NOW,
    narrow: { matches: options.narrow ?? false, addEventListener: () => undefined },
    observeSize: () => undefined,
    save: (file) => saved.push(file),
    fetch: async (input, init) => {
      const call = {
        method: init?.method ?? 'GET',
        path: String(input),
        body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
        authorization: new Headers(init?.headers).get('authorization'),
      };
      calls.push(call);
      if (network.answer !== null) return network.answer();
      const answer = answers.get(call.path)?.(call) ?? answerCall(data, call);
      return new Response(JSON.stringify(answer.body), { status: answer.status });
    },
  });
  onTestFinished(() => {
    stop();
    document.body.replaceChildren();
    localStorage.clear();
    sessionStorage.clear();
    delete document.documentElement.dataset.theme;
  });

  const frame = (sessionId: string): HTMLIFrameElement => {
    const found = document.querySelector<HTMLIFrameElement>(`iframe[src$="${encodeURIComponent(sessionId)}"]`);
    if (found === null) throw new Error(`There is no page of ${sessionId}.`);
    return found;
  };
  const windowOf = (sessionId: string): Window => {
    const { contentWindow } = frame(sessionId);
    if (contentWindow === null) throw new Error('The frame has no window.');
    if (!posted.has(contentWindow)) {
      const messages: Record<string, unknown>[] = [];
      posted.set(contentWindow, messages);
      contentWindow.postMessage = (message: Record<string, unknown>) => messages.push(message);
    }
    return contentWindow;
  };
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

  return {
    data,
    server,
    keys,
    exchange,
    timers,
    calls,
    answers,
    network,
    saved,
    root,
    frame,
    settle,
    sent: (type) => exchange.end().sent.filter((sent) => sent.type === type),
    say: (message) => exchange.end().say(message),
    async connect() {
      await settle();
      exchange.end().accept();
      await settle();
    },
    posted: (sessionId) => posted.get(windowOf(sessionId)) ?? [],
    fromPortlet(sessionId, message) {
      const source = windowOf(sessionId);
      window.dispatchEvent(new MessageEvent('message', { data: message, origin: location.origin, source }));
    },
  };
}

export const bothAgents: ProviderInfo[] = [
  { cliType: 'claude-code', label: 'Claude Code', available: true },
  { cliType: 'codex', label: 'Codex', available: true },
];

let made = 0;

export function projectOf(name: string): Project {
  made += 1;
  const id = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
  return { id, name, path: `/home/me/${name}`, addedAt: new Date(NOW).toISOString(), trust: 'unknown', wouldRun: [] };
}

export function sessionOf(
  project: Project,
  title: string,
  more: Partial<SessionListItem> & { minutesAgo?: number } = {},
): SessionListItem {
  const { minutesAgo = 5, cliType = 'claude-code', ...rest } = more;
  made += 1;
  const id = toCanonical(cliType, `s${made}`);
  const at = new Date(NOW - minutesAgo * MINUTE).toISOString();
  return {
    id,
    sessionId: id,
    projectId: project.id,
    cliType,
    title,
    lastActiveAt: at,
    createdAt: at,
    state: 'closed',
    running: false,
    background: 0,
    failed: false,
    pinned: false,
    kept: false,
    source: 'here',
    ...rest,
  };
}

function answerFrame(data: FakeData, frame: Record<string, unknown>, end: SocketEnd): void {
  const { type, requestId } = frame;
  // Asynchronous, like a network.
  const say = (answer: unknown) => queueMicrotask(() => end.say(answer));
  if (type === 'project:list') say({ type, requestId, projects: data.projects });
  else if (type === 'session:list-all') {
    if (data.listsFail) say({ type: 'error', requestId, code: 'INTERNAL_ERROR', message: 'It broke.' });
    else say({ type, requestId, ...pageOf(data.sessions, frame.after), archived: countByProject(data.archived) });
  } else if (type === 'session:list') {
    const { projectId } = frame;
    if (data.listsFail) {
      say({ type: 'error', requestId, code: 'INTERNAL_ERROR', message: 'It broke.' });
      return;
    }
    const sessions = frame.archived === true ? data.archived : data.sessions;
    say({ type, requestId, projectId, sessions: sessions.filter((session) => session.projectId === projectId) });
  } else if (type === 'project:remove') say({ type: 'project:removed', requestId, projectId: frame.projectId });
  else if (type === 'keep:status') say({ type, requestId, ...data.kept });
}

const nothingKept: KeepStatus = { on: true, bytes: 0, sessions: 0, files: 0, limitBytes: 1_000_000, state: 'idle' };

function countByProject(sessions: readonly SessionListItem[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { projectId } of sessions) counts[projectId] = (counts[projectId] ?? 0) + 1;
  return counts;
}

const PAGE_SIZE = 1_000;

function pageOf(sessions: readonly SessionListItem[], after: unknown) {
  const start = sessions.findIndex(({ id }) => id === after) + 1;
  return { sessions: sessions.slice(start, start + PAGE_SIZE), more: sessions.length > start + PAGE_SIZE };
}

function answerCall(data: FakeData, { method, path }: HttpCall): { status: number; body: unknown } {
  if (path === '/api/health') {
    return { status: 200, body: { ok: true, version: '1.0.0', demo: data.demo, providers: data.providers } };
  }
  const id = /^\/api\/session\/([^/]+)\/(archive|cancel|reconnect|stop-background)$/.exec(path)?.[1];
  if (method === 'POST' && id !== undefined) {
    const sessionId = decodeURIComponent(id);
    return { status: 200, body: { sessionId, cliType: sessionId.split(':')[0] } };
  }
  return { status: 404, body: { code: 'NOT_FOUND', message: 'There is nothing at this address.' } };
}
