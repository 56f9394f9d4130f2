import { z } from 'zod';

/**
 * Zod compiles object schemas with `new Function` if it can. Our content security policy forbids that and would report
 * the attempt. Must be the first import of each page, before any schema is created.
 */
z.config({ jitless: true });
