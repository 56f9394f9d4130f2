import { speakClaude } from './speak-claude.mjs';

speakClaude(() => process.exit(3));
