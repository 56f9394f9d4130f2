import { closeSync } from 'node:fs';
import { speakClaude, take } from './speak-claude.mjs';

speakClaude((turnId, write) => {
  take(turnId, write);
  setTimeout(() => closeSync(1), 20);
  setInterval(() => {}, 60_000);
});
