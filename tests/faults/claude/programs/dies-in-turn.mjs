import { speakClaude, take } from './speak-claude.mjs';

speakClaude((turnId, write) => {
  take(turnId, write);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20);
});
