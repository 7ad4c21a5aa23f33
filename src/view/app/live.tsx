/** Shows a growing log, and follows it while the user is at the end. */
import type { VNode } from 'preact';
import { showCount, showNumber } from '../../charts/numbers.ts';
import { handlersOf, useHeldEnd } from './held-end.ts';
import { Entries } from './live-entries.tsx';
import { countOf, type Log, useLog } from './live-log.ts';
import { summary } from './state.ts';

export function Live(): VNode {
  const [log, earlier] = useLog();
  const { end, unseen, hold } = useHeldEnd(log);
  const showEarlier = (): void => {
    end.release();
    end.leaveTop();
    earlier();
  };
  const goToEnd = (): void => {
    end.toEnd();
    hold();
  };
  return (
    <section
      class="pane live"
      ref={end.box}
      tabIndex={0}
      aria-label="The log, as it grows"
      onScroll={() => {
        if (end.hasComeBack()) hold();
      }}
      {...handlersOf(end)}
    >
      <div class="grown">
        <Bar log={log} />
        {log.restarts > 0 ? (
          <p class="lead">The log was cut or replaced: this is its new beginning.</p>
        ) : null}
        {log.first > 0 ? (
          <p class="lead">
            <button type="button" class="quiet" onClick={showEarlier}>
              {log.isEvents ? 'earlier messages' : 'earlier entries'}
            </button>
          </p>
        ) : null}
        <Entries entries={log.entries} />
      </div>
      {unseen > 0 ? (
        <button type="button" class="pill" onClick={goToEnd}>
          {showNumber(unseen)} new <span aria-hidden="true">↓</span>
        </button>
      ) : null}
      <p class="sr" role="status">
        {unseen === 0
          ? ''
          : `${log.isEvents ? showCount(unseen, 'new message') : showCount(unseen, 'new entry', 'new entries')} below`}
      </p>
    </section>
  );
}

function Bar({ log }: { readonly log: Log }): VNode {
  const count = countOf(log);
  return (
    <div class="bar">
      <h1>
        <bdi>{summary.value?.name}</bdi>
      </h1>
      <span class="tag good">live</span>
      <span class="dim">
        {log.isEvents ? showCount(count, 'message') : showCount(count, 'entry', 'entries')}
      </span>
    </div>
  );
}
