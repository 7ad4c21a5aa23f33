/** What nobody caught is a bug: its stack is shown and the process ends with 70, whatever it was doing. */
import { BUG } from './exit-code.ts';
import { tellBug } from './tell-fault.ts';

export function watchForBugs(): void {
  const end = (error: unknown): never => {
    tellBug(error);
    process.exit(BUG);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
