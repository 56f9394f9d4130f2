import { parseArgs } from 'node:util';
import { toMarkdown } from '../report.ts';
import { soak } from './soak.ts';
import { toReport } from './verdict.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '20' },
    faults: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const result = await soak(
  {
    minutes: Number(values.minutes),
    sessions: Number(values.sessions),
    withFaults: values.faults,
    windows: 3,
    tokensPerSecond: 100,
    tokensPerMessage: 1000,
  },
  (line) => console.error(line),
);
const report = toReport(result);
console.log(toMarkdown(report));
if (report.rows.some(({ met }) => met === false)) process.exitCode = 1;
