import { getPriority, loadavg } from 'node:os';

/** Describes the load of the machine by other work. Call it before the measurement starts. */
export function describeCircumstances(): string {
  const [load = 0] = loadavg();
  const priority = getPriority();
  const how = priority === 0 ? '' : `, and this ran at priority ${priority}`;
  return `The load of the machine by other work was ${load.toFixed(1)} before the start${how}.`;
}
