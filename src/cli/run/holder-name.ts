import { hostname } from 'node:os';

/** Names this process to people who look at another importer that waits: `kagami start on db1, process 4711`. */
export const holderName = (command: string): string => `kagami ${command} on ${hostname()}, process ${process.pid}`;
