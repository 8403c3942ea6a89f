#!/bin/sh
# nan 3.7.0 (a package of Octave, which must be installed): the AUC of roc orders rows of equal scores as they stand in
# the table: that of constant scores is anything between 0 and 1, and another where the same rows come in reverse.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download octave-nan=3.7.0-3
for archive in *.deb; do dpkg -x "$archive" .; done
octave --no-gui --norc --quiet >"$folder/seen" 2>/dev/null <<'PROGRAM'
addpath([getenv("PWD") "/usr/share/octave/packages/nan-3.7.0"]);
addpath(glob([getenv("PWD") "/usr/lib/*/octave/packages/nan-3.7.0/*"]){1});
warning("off");
labels = [0; 0; 0; 1; 1; 1];
for scores = {[1; 2; 3; 4; 5; 6], [1; 1; 2; 2; 3; 3], zeros(6, 1)}
  s = scores{1};
  pairs = s(labels == 1) - s(labels == 0)';
  printf("scores %s pairs in order %.3f", mat2str(s'), mean((pairs(:) > 0) + (pairs(:) == 0) / 2));
  printf(" roc %.3f, rows reversed %.3f\n", roc(s, labels).AUC, roc(flipud(s), flipud(labels)).AUC);
end
PROGRAM
diff "$folder/seen" - <<'SEEN'
scores [1 2 3 4 5 6] pairs in order 1.000 roc 1.000, rows reversed 1.000
scores [1 1 2 2 3 3] pairs in order 0.944 roc 1.000, rows reversed 0.889
scores [0 0 0 0 0 0] pairs in order 0.500 roc 1.000, rows reversed 0.000
SEEN
echo "as described"
