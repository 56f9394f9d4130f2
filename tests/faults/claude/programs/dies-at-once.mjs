process.stderr.write('The license has expired.\n');
process.exitCode = 9;
