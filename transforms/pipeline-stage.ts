/** The stages as the library offers them: functions that return a Node Transform, for `stream.pipeline`. */
import { defaultsOf, type Handlers, type OptionSpecs, type Stage } from './stage.ts';
import { StageStream } from './stage-stream.ts';

/** @typeParam Options all options of the stage; those that are left out have their defaults */
export interface PipelineStage<Options extends object> {
  (options?: Partial<Options>): StageStream;
  readonly name: string;
  readonly summary: string;
  readonly options: OptionSpecs<Options>;
  /** Creates the handlers alone, for `fuse` and `apply`. */
  create(options?: Partial<Options>): Handlers;
}

export function pipelineStage<Options extends object>(stage: Stage<Options>): PipelineStage<Options> {
  const { name, summary, options: specs } = stage;
  const create = (options: Partial<Options> = {}): Handlers =>
    stage.create({ ...defaultsOf(specs), ...options });
  const call = (options?: Partial<Options>): StageStream => new StageStream(create(options), stage);
  Object.defineProperty(call, 'name', { value: name });
  return Object.assign(call, { summary, options: specs, create });
}
