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
  // Whoever reads our output may have seen enough, as `head` does.
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit();
    throw error;
  });
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
  // A connection that someone forgot to close must not keep a finished command alive.
  setTimeout(() => process.exit(), 3_000).unref();
}

export {};
