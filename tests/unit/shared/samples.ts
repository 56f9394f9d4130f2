import type { Sample } from './spoil.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const projectId = '0b0b9d3c-6f5c-4a63-9d76-0f5f6f1e2a11';
const sessionId = 'claude-code:abc';
const turnId = '3d9c27d0-52f4-4f0e-8a57-9b6f4f1f5c22';
const usage = { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 };

export const project = {
  id: projectId,
  path: '/home/me/app',
  name: 'app',
  addedAt: NOW,
  trust: 'unknown',
  wouldRun: [],
};
export const sessionMeta = {
  id: sessionId,
  projectId,
  cliType: 'claude-code',
  archived: false,
  title: 'New Session',
  lastActiveAt: NOW,
  createdAt: NOW,
  used: true,
  seqCeiling: 1,
};
export const listItem = {
  id: sessionId,
  sessionId,
  projectId,
  cliType: 'claude-code',
  title: 'A title',
  lastActiveAt: NOW,
  createdAt: NOW,
  state: 'open',
  running: false,
  background: 0,
  failed: false,
  pinned: false,
  kept: false,
  source: 'here',
};
export const errorBody = { code: 'NOT_FOUND', message: 'Gone.', details: {}, requestId: 'r', sessionId };

const upsert = {
  turnId: 't',
  sessionId,
  itemId: 't:1:0',
  sourceTimestamp: NOW,
  emittedAt: NOW,
  status: 'error',
  errorCode: 'X',
  errorMessage: 'x',
  parentItemId: 't:0:0',
};
const upsertOptional = ['errorCode', 'errorMessage', 'parentItemId'];
export const message: Sample = {
  valid: { ...upsert, type: 'message', content: '', origin: 'agent' },
  optional: upsertOptional,
};
export const thinking: Sample = {
  valid: { ...upsert, type: 'thinking', content: 'Hm.', providerId: 'p' },
  optional: upsertOptional,
};
export const toolCall: Sample = {
  valid: {
    ...upsert,
    type: 'tool_call',
    toolName: 'Bash',
    toolArguments: { command: 'ls' },
    callId: 'c',
    toolOutput: '',
    toolOutputIsError: false,
    toolKind: 'execute',
    diffs: [{ path: 'a', oldText: null, newText: 'b' }],
    exitCode: 0,
    background: true,
    startedAt: NOW,
  },
  optional: [
    ...upsertOptional,
    'toolOutput',
    'toolOutputIsError',
    'toolKind',
    'diffs',
    'exitCode',
    'background',
    'startedAt',
  ],
};
export const upserts = [message, thinking, toolCall];

export const turnEvents: Sample[] = [
  { valid: { type: 'turn_started', turnId: 't', sessionId, modelId: 'm', providerId: 'p' } },
  {
    valid: { type: 'turn_complete', turnId: 't', sessionId, status: 'cancelled', usage, stopReason: 'end' },
    optional: ['usage', 'stopReason'],
  },
  { valid: { type: 'turn_error', turnId: 't', sessionId, errorCode: 'X', errorMessage: 'x' } },
  { valid: { type: 'turn_receipt', turnId: 't', sessionId, receipt: 'kept' } },
];
export const turnSummary: Sample = {
  valid: {
    turnId: 't',
    status: 'error',
    startedAt: NOW,
    endedAt: NOW,
    modelId: 'm',
    usage,
    stopReason: 'end',
    errorCode: 'X',
    errorMessage: 'x',
  },
  optional: ['endedAt', 'modelId', 'usage', 'stopReason', 'errorCode', 'errorMessage'],
};
export const usageSample: Sample = {
  valid: usage,
  optional: ['cacheReadInputTokens', 'cacheCreationInputTokens'],
};

const history: Sample = {
  valid: {
    type: 'session:history',
    sessionId,
    asOf: 0,
    entries: [message.valid],
    turns: [turnSummary.valid],
    more: true,
    requestId: 'r',
  },
  optional: ['more', 'requestId'],
};
const turnMessage: Sample = {
  valid: {
    type: 'session:turn',
    sessionId,
    seq: 2,
    payload: turnEvents[2]?.valid,
    times: { startedAt: NOW, endedAt: NOW },
  },
  optional: ['times'],
};
const append: Sample = {
  valid: {
    type: 'session:append',
    sessionId,
    seq: 4,
    itemId: 't:1:0',
    at: 5,
    text: ' and more',
    end: { status: 'error', emittedAt: NOW, sourceTimestamp: NOW, errorCode: 'X', errorMessage: 'x' },
  },
  optional: ['end'],
};
const resumed: Sample = {
  valid: { type: 'session:resumed', sessionId, asOf: 7, requestId: 'r' },
  optional: ['requestId'],
};
const page = { sessionId, entries: [message.valid], turns: [turnSummary.valid], more: false };
const agentStatus: Sample = {
  valid: {
    type: 'agent:status',
    cliType: 'codex',
    sessionId,
    status: 'reconnecting',
    attempt: 1,
    maxAttempts: 5,
    retryInMs: 1000,
    message: 'It died.',
    requestId: 'r',
  },
  optional: ['attempt', 'maxAttempts', 'retryInMs', 'message', 'sessionId', 'requestId'],
};

export const keepStatus = {
  on: true,
  bytes: 3,
  sessions: 2,
  files: 1,
  limitBytes: 4,
  state: 'full' as const,
  message: 'It is full.',
};

/** Every kind of message from the server. */
export const events: Sample[] = [
  { valid: { type: 'session:upsert', sessionId, seq: 1, payload: message.valid } },
  turnMessage,
  append,
  history,
  resumed,
  { valid: { type: 'project:added', project, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'project:changed', project, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'project:removed', projectId, requestId: 'r' }, optional: ['requestId'] },
  {
    valid: { type: 'session:created', sessionId, cliType: 'codex', projectId, session: listItem, requestId: 'r' },
    optional: ['requestId'],
  },
  { valid: { type: 'session:archived', sessionId, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'session:unarchived', sessionId, session: listItem, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'session:deleted', sessionId, left: 'A copy.', requestId: 'r' }, optional: ['requestId', 'left'] },
  { valid: { type: 'session:title-updated', sessionId, title: 'T', requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'session:found', sessions: [listItem] } },
  { valid: { type: 'session:changed', sessionId, session: listItem } },
  agentStatus,
  { valid: { type: 'keep:status', ...keepStatus, requestId: 'r' }, optional: ['message', 'requestId'] },
  {
    valid: { type: 'error', ...errorBody },
    optional: ['details', 'requestId', 'sessionId'],
    anything: ['details'],
  },
];

/** Every kind of message to the session page of a tab. */
export const toPortlet: Sample[] = [
  {
    valid: {
      type: 'session:info',
      title: 'T',
      agentLabel: 'A',
      cliType: 'codex',
      projectPath: '/p',
      demo: false,
      background: 1,
      heldBy: { label: 'A', certain: true },
      context: { state: 'forked', from: sessionId },
      origin: { sessionId, title: 'T' },
      untrusted: 'left-out',
    },
    optional: ['untrusted', 'heldBy', 'context', 'origin'],
  },
  history,
  { valid: { type: 'session:upsert', sessionId, seq: 1, payload: toolCall.valid } },
  append,
  turnMessage,
  resumed,
  agentStatus,
  { valid: { type: 'session:page', before: 't:1:0', ...page } },
  { valid: { type: 'session:page-failed', before: 't:1:0', error: errorBody } },
  { valid: { type: 'session:sent', turnId } },
  { valid: { type: 'session:send-failed', turnId, error: errorBody } },
  { valid: { type: 'session:send-unanswered', turnId } },
  { valid: { type: 'session:fork-failed', error: errorBody } },
  { valid: { type: 'session:put-back-failed', error: errorBody } },
  { valid: { type: 'session:stop-failed', itemId: 't:1:0', error: errorBody }, optional: ['itemId'] },
  { valid: { type: 'session:error', error: errorBody } },
  { valid: { type: 'connection', state: 'connected' } },
  { valid: { type: 'theme', theme: 'dark' } },
  { valid: { type: 'portlet:shown' } },
  { valid: { type: 'portlet:focus' } },
];

/** Every kind of message from the session page of a tab. */
export const fromPortlet: Sample[] = [
  { valid: { type: 'portlet:ready' } },
  { valid: { type: 'portlet:drawn' } },
  { valid: { type: 'session:send', turnId, content: 'Hello', accept: 'reset' }, optional: ['accept'] },
  { valid: { type: 'session:fork', branch: 'b' }, optional: ['branch'] },
  { valid: { type: 'session:open', sessionId } },
  { valid: { type: 'session:put-back' } },
  { valid: { type: 'session:warm' } },
  { valid: { type: 'session:cancel' } },
  { valid: { type: 'session:stop-background', itemId: 't:1:0' }, optional: ['itemId'] },
  { valid: { type: 'session:reconnect' } },
  { valid: { type: 'session:trust' } },
  { valid: { type: 'session:reload' } },
  { valid: { type: 'session:older', before: 't:1:0' } },
  { valid: { type: 'shell:key', key: 'tab-9' } },
];
