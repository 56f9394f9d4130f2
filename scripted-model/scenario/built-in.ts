import { type Reply, type Scenario, say } from './scenario.ts';

/** Tells what the model still knows, so that a test can prove that a resumed session kept its context. */
export const contextScenario: Scenario = ({ userMessages }) => [
  [say(`I know ${userMessages.length} user messages. The first was: ${userMessages[0] ?? ''}`)],
];

export const defaultScenario: Scenario = [[say('Hello from the scripted model.')]];

/** After the last reply of a scenario, so that an agent that asks once more is not left waiting. */
export const closingReply: Reply = [say('Done.')];

/** Agents ask for a thread's title in JSON. */
export const titleReply: Reply = [say(() => [JSON.stringify({ title: 'Scripted conversation' })])];
