/** Seeds every property, so that a test fails for a change and not for the time of day. TURNMILL_LONG=1 draws a new seed for each run. */
import fc from 'fast-check';

if (process.env.TURNMILL_LONG !== '1') fc.configureGlobal({ seed: 1 });
