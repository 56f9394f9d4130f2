import { parseArgs } from 'node:util';
import { toSection, writeSection } from '../benchmarks-page.ts';
import { soak } from './soak.ts';
import { toReport } from './verdict.ts';

/** `npm run soak -- [--minutes 5] [--sessions 20] [--faults] [--print-only]`; also updates docs/benchmarks.md. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '20' },
    faults: { type: 'boolean', default: false },
    'print-only': { type: 'boolean', default: false },
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
const section = toSection(report);
console.log(section);
if (!values['print-only']) writeSection(values.faults ? 'soak-faults' : 'soak', section);
if (report.rows.some(({ met }) => met === false)) process.exitCode = 1;
