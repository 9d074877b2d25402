#!/usr/bin/env node
/**
 * The `kagami` command. This file must run on old versions of Node too, to say what is missing instead of failing with
 * a syntax error; so it imports nothing before it has looked.
 */
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Kagami needs Node 24 or later; this is Node ${process.versions.node}.\n` +
      'In the project folder, `npm start` and `npm run kagami -- <command>` use the Node 24 that is installed with it.\n',
  );
  process.exitCode = 2;
} else {
  // What runs for hours or months is held to little memory; a command that ends soon starts faster without this.
  if (['start', 'import'].some((name) => process.argv.includes(name)))
    (await import('./lean-process.ts')).keepHeapSmall();
  const { surviveLostOutput } = await import('./lost-output.ts');
  surviveLostOutput([process.stdout, process.stderr], () => {
    // A result that could not be written, on a full disk for instance, is none. This may be told after all is done.
    process.exitCode ||= 1;
  });
  const { runCommandLine } = await import('./command-line.ts');
  const exitCode = await runCommandLine(process.argv.slice(2));
  if (exitCode !== 0) process.exitCode = exitCode;
  // A connection that someone forgot to close must not keep a finished command alive.
  setTimeout(() => process.exit(), 3_000).unref();
}

export {};
