export { type AgentHome, claudeEnvironment } from './harness/claude.ts';
export { type CodexHome, prepareCodexHome } from './harness/codex.ts';
export type { Environment } from './harness/environment.ts';
export { type FoundAgent, type FoundAgents, findAgents } from './harness/find-agents.ts';
export { createScratchHome, type ScratchHome } from './harness/scratch-home.ts';
export { contextScenario, defaultScenario } from './scenario/built-in.ts';
export type { ApiName, Conversation, ToolResult } from './scenario/conversation.ts';
export type { Rule } from './scenario/rules.ts';
export {
  callTool,
  cut,
  delegate,
  editFile,
  fail,
  gate,
  hang,
  overloaded,
  type Pace,
  pause,
  type Reply,
  readFile,
  runOutOfTokens,
  type Scenario,
  type Step,
  say,
  shell,
  type Text,
  think,
  writeFile,
} from './scenario/scenario.ts';
export type { Clock } from './server/clock.ts';
export type { RecordedRequest, RequestOutcome } from './server/request-log.ts';
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './server/server.ts';
