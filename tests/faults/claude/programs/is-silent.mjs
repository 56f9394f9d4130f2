import { speakClaude, take } from './speak-claude.mjs';

speakClaude(take);
