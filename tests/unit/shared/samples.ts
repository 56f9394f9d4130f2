import type { Sample } from './spoil.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const projectId = '0b0b9d3c-6f5c-4a63-9d76-0f5f6f1e2a11';
const sessionId = 'claude-code:abc';
const usage = { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 };

export const project = { id: projectId, path: '/home/me/app', name: 'app', addedAt: NOW };
export const sessionMeta = {
  id: sessionId,
  projectId,
  cliType: 'claude-code',
  archived: false,
  title: 'New Session',
  lastActiveAt: NOW,
  createdAt: NOW,
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
  failed: false,
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
  },
  optional: [...upsertOptional, 'toolOutput', 'toolOutputIsError', 'toolKind', 'diffs', 'exitCode'],
};
export const upserts = [message, thinking, toolCall];

export const turnEvents: Sample[] = [
  { valid: { type: 'turn_started', turnId: 't', sessionId, modelId: 'm', providerId: 'p' } },
  {
    valid: { type: 'turn_complete', turnId: 't', sessionId, status: 'cancelled', usage, stopReason: 'end' },
    optional: ['usage', 'stopReason'],
  },
  { valid: { type: 'turn_error', turnId: 't', sessionId, errorCode: 'X', errorMessage: 'x' } },
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

const history = { entries: [message.valid], turns: [turnSummary.valid] };
const agentStatus = { status: 'reconnecting', attempt: 1, maxAttempts: 5, retryInMs: 1000, message: 'It died.' };
const agentStatusOptional = ['attempt', 'maxAttempts', 'retryInMs', 'message', 'sessionId', 'requestId'];

/** Every kind of message from the server. */
export const events: Sample[] = [
  { valid: { type: 'session:upsert', sessionId, payload: message.valid } },
  { valid: { type: 'session:turn', sessionId, payload: turnEvents[0]?.valid } },
  { valid: { type: 'session:history', sessionId, ...history, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'project:added', project, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'project:removed', projectId, requestId: 'r' }, optional: ['requestId'] },
  {
    valid: { type: 'session:created', sessionId, cliType: 'codex', projectId, session: listItem, requestId: 'r' },
    optional: ['requestId'],
  },
  { valid: { type: 'session:archived', sessionId, requestId: 'r' }, optional: ['requestId'] },
  { valid: { type: 'session:title-updated', sessionId, title: 'T' } },
  { valid: { type: 'session:changed', sessionId, session: listItem } },
  {
    valid: { type: 'agent:status', cliType: 'codex', sessionId, ...agentStatus, requestId: 'r' },
    optional: agentStatusOptional,
  },
  {
    valid: { type: 'error', ...errorBody },
    optional: ['details', 'requestId', 'sessionId'],
    anything: ['details'],
  },
];

/** Every kind of message to the session page of a tab. */
export const toPortlet: Sample[] = [
  {
    valid: { type: 'session:info', title: 'T', agentLabel: 'A', cliType: 'codex', projectPath: '/p', demo: false },
  },
  { valid: { type: 'session:history', ...history } },
  { valid: { type: 'session:upsert', payload: toolCall.valid } },
  { valid: { type: 'session:turn', payload: turnEvents[2]?.valid } },
  { valid: { type: 'session:sent', sendId: 's', turnId: 't' } },
  { valid: { type: 'session:send-failed', sendId: 's', error: errorBody } },
  { valid: { type: 'session:error', error: errorBody } },
  { valid: { type: 'agent:status', ...agentStatus }, optional: agentStatusOptional },
  { valid: { type: 'connection', state: 'connected' } },
  { valid: { type: 'theme', theme: 'dark' } },
  { valid: { type: 'portlet:shown' } },
  { valid: { type: 'portlet:focus' } },
];

/** Every kind of message from the session page of a tab. */
export const fromPortlet: Sample[] = [
  { valid: { type: 'portlet:ready' } },
  { valid: { type: 'session:send', sendId: 's', content: 'Hello' } },
  { valid: { type: 'session:cancel' } },
  { valid: { type: 'session:reconnect' } },
  { valid: { type: 'session:reload' } },
  { valid: { type: 'shell:key', key: 'tab-9' } },
];
