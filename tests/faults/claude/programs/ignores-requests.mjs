import { speakClaude, take } from './speak-claude.mjs';

process.on('SIGTERM', () => {});
speakClaude(take, { answersOnce: true });
setInterval(() => {}, 60_000);
