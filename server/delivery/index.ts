export { createHub, type Hub, serialise } from './hub.ts';
export { createWindow, type Window } from './window.ts';
