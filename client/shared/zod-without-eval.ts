import { z } from 'zod';

/**
 * Zod compiles object schemas with `new Function` where it may; our content security policy forbids that and would
 * report the attempt. Must be the first import of each page, before any schema is made.
 */
z.config({ jitless: true });
