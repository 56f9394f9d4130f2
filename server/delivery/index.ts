export { type Frame, serialise } from './frame.ts';
export { createHub, type Hub } from './hub.ts';
export { createWindow, type Window } from './window.ts';
