import { checkLayers, compareWithKnown } from './check.ts';
import { knownViolations, layerRules } from './order.ts';
import { readSources } from './read-sources.ts';

const sources = readSources();
const { unexpected, obsolete } = compareWithKnown(checkLayers(sources, layerRules), knownViolations);
for (const { message } of unexpected) console.error(message);
for (const key of obsolete) console.error(`No longer a violation, delete it from knownViolations: ${key}`);
console.log(`${sources.size} files, ${unexpected.length} violations, ${knownViolations.length} known ones.`);
if (unexpected.length + obsolete.length > 0) process.exitCode = 1;
