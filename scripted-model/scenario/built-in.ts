import { type Reply, type Scenario, say } from './scenario.ts';

/** Reports what the model knows, so that a test can verify that a resumed session kept its context. */
export const contextScenario: Scenario = ({ userMessages }) => [
  [say(`I know ${userMessages.length} user messages. The first was: ${userMessages[0] ?? ''}`)],
];

export const defaultScenario: Scenario = [[say('Hello from the scripted model.')]];

/** Used after the last reply of a scenario, so that a further request gets a reply. */
export const closingReply: Reply = [say('Done.')];

/** Agents ask for a thread's title in JSON. */
export const titleReply: Reply = [say(() => [JSON.stringify({ title: 'Scripted conversation' })])];
