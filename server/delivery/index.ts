export { createHub, type Hub, serialise } from './hub.ts';
export { createWindow, type Frame, type Window } from './window.ts';
