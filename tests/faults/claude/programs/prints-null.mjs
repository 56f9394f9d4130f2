import { speakClaude, take } from './speak-claude.mjs';

speakClaude((turnId, write) => {
  take(turnId, write);
  process.stdout.write('null\n');
});
