export { createKeyedQueue as createSerialQueues, type KeyedQueue as SerialQueues } from '../keyed-queue.ts';
