import '../shared/zod-without-eval.ts';
import '../shared/theme.css';
