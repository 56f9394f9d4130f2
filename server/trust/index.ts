export { findEnclosingDirectories } from './enclosing-directories.ts';
export { describeCommand, findHooks } from './hooks.ts';
export { exists, isSamePlace } from './settings-file.ts';
export { createSettingsReader, type FindIn } from './settings-reader.ts';
export { type Finding, type Found, hashOf, isRecord, limitFindings, type WhatRuns } from './would-run.ts';
