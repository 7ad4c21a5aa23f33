/** Tests of every kind of plug-in: one file each, named as in the registry. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';

const TRANSFORMS = new URL('../../transforms/', import.meta.url);

interface Named {
  readonly name: string;
  readonly summary: string;
}

/** Plug-ins in a folder: the files with a default export. */
async function pluginFiles(folder: string): Promise<readonly (readonly [name: string, plugin: unknown])[]> {
  const names = readdirSync(new URL(folder, TRANSFORMS))
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length));
  const loaded = await Promise.all(
    names.map(
      async (name) => [name, await import(new URL(`${folder}/${name}.ts`, TRANSFORMS).href)] as const,
    ),
  );
  return loaded
    .filter(([, module]) => 'default' in module)
    .map(([name, module]) => [name, module.default] as const);
}

/** Tests every registered plug-in of a kind. Call it inside a `describe`. */
export function describePlugIns(folder: string, registry: readonly Named[]): void {
  it('the registry holds every file with a plug-in and nothing else', async () => {
    const files = new Map(await pluginFiles(folder));
    expect([...files.keys()].sort()).toEqual(registry.map(({ name }) => name).sort());
    for (const plugin of registry) expect(files.get(plugin.name)).toBe(plugin);
  });

  it.each(registry.map((plugin) => [plugin.name, plugin] as const))('%s has a kebab-case name', (name) => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
  });

  it.each(registry.map((plugin) => [plugin.name, plugin] as const))(
    '%s has a summary of one sentence',
    (_name, plugin) => {
      expect(plugin.summary).toMatch(/^[A-Z].{10,}\.$/);
      expect(plugin.summary).not.toContain('\n');
    },
  );
}
