import { finish, speakClaude, take } from './speak-claude.mjs';

process.stdout.write('this is not JSON\n');
speakClaude((turnId, write) => {
  take(turnId, write);
  process.stdout.write('{"type":"assistant"\n\u0000\n[1,2]\n');
  finish(turnId, write);
});
