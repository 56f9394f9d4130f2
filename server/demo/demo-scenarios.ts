import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  delegate,
  editFile,
  fail,
  overloaded,
  type Pace,
  type Rule,
  readFile,
  type Scenario,
  say,
  shell,
  think,
} from '../../scripted-model/index.ts';
import { BROKEN_FILE, BROKEN_LINE, brokenFile, FIXED_LINE } from './demo-project.ts';

const reading: Pace = { tokensPerSecond: 40 };
const musing: Pace = { tokensPerSecond: 60 };

export const TOUR = `This is the demo: a **real agent** runs here, but its model is a script on this machine. Nothing leaves
your computer. Say one of these:

| Say | and see |
|---|---|
| \`fix the test\` | thinking, tools, a failing command, an edit as a diff |
| \`explain\` | code with highlighting, a table, a list |
| \`long story\` | a long answer to cancel with Escape |
| \`error\` | an error of the model and what to do |
| \`retry\` | an overloaded model that the agent tries again |
| \`delegate\` | a sub-agent (Claude Code) |
`;

const EXPLANATION = `## How the cart adds up

\`total\` walks over the items once:

\`\`\`js
export function total(items) {
${FIXED_LINE}
}
\`\`\`

| field | unit | meaning |
|---|---|---|
| \`price\` | cents | of one piece |
| \`quantity\` | pieces | at least 1 |

- [x] whole cents, so no rounding
- [x] an empty cart costs nothing
- [ ] discounts

> Money in cents stays exact; money in floating point does not.
`;

const STORY = Array.from(
  { length: 40 },
  (_, index) =>
    `**${index + 1}.** The build was green, the tests were quiet, and somewhere between two commits a developer ` +
    'wondered whether the cache was warm. It was not. So they warmed it, and wrote down why.\n\n',
).join('');

/** Restores the bug first, so that the fix can be watched more than once. */
const fixScenario: Scenario = (conversation) => {
  if (conversation.position === 0 && conversation.cwd !== undefined) {
    writeFileSync(join(conversation.cwd, BROKEN_FILE), brokenFile());
  }
  return [
    [
      think('A test fails. I should see the code and the failure before I change anything.', musing),
      say("I'll read the code and run the tests first.", reading),
      readFile(BROKEN_FILE),
      shell('node --test', 'Run the tests'),
    ],
    [
      say('The total leaves out the quantity, so three of one thing cost as much as one. I change that line.', reading),
      editFile(BROKEN_FILE, BROKEN_LINE, FIXED_LINE),
    ],
    [shell('node --test', 'Run the tests again')],
    [
      say(
        `Fixed. \`total\` in \`${BROKEN_FILE}\` now multiplies the price by the quantity, and both tests pass.\n\n` +
          '```diff\n' +
          `-${BROKEN_LINE}\n+${FIXED_LINE}\n` +
          '```\n',
        reading,
      ),
    ],
  ];
};

/** The replies of the demo's model. */
export const demoRules: readonly Rule[] = [
  { when: /fix the (failing )?test|failing test/i, scenario: fixScenario },
  {
    when: /explain/i,
    scenario: [
      [say('Let me look around.', reading), shell('ls -R src test', 'List the files')],
      [say(EXPLANATION, reading)],
    ],
  },
  { when: /long story/i, scenario: [[say(STORY, reading)]] },
  {
    when: /\berror\b|release notes/i,
    scenario: [[fail(400, 'The demo model refuses this prompt, as it was told to.')]],
  },
  { when: /retry/i, scenario: [[overloaded(2), say('The model was overloaded twice; then it answered.', reading)]] },
  {
    when: /delegate/i,
    scenario: [
      [say('I hand this to a sub-agent.', reading), delegate('Count the tests of this project', 'Count the tests')],
      [say('The sub-agent counted **two** tests.', reading)],
    ],
  },
  {
    when: /count the tests/i,
    scenario: [[shell("grep -c '^test' test/cart.test.js", 'Count the tests')], [say('There are 2 tests.', reading)]],
  },
];

export const demoFallback: Scenario = [[say(TOUR, reading)]];
