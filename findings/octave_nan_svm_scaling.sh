#!/bin/sh
# nan 3.7.0 (a package of Octave, which must be installed): train_sc scales the columns for its linear SVMs and
# takes the scaling back with the mean for the standard deviation and the other way round. A separating model
# becomes one that does not separate, and columns of mean 0 have the weight 0, silently. Its discriminant analysis
# is right.
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
y = [1; 1; 1; 2; 2; 2];
for mean = [0 5]
  x = mean + [-3; -2; -1; 1; 2; 3];
  for kind = {"LDA", "SVM:LIN1", "SVM:LIN2"}
    model = train_sc(x, y, struct("TYPE", kind{1}));
    weight = full(model.weights(2, 2));
    printf("mean %d %s weight %.2f predicts %s\n", mean, kind{1}, weight, mat2str(test_sc(model, x).classlabel'));
  end
end
PROGRAM
diff "$folder/seen" - <<'SEEN'
mean 0 LDA weight 0.43 predicts [1;1;1;2;2;2]
mean 0 SVM:LIN1 weight 0.00 predicts [2;2;2;2;2;2]
mean 0 SVM:LIN2 weight 0.00 predicts [1;1;1;1;1;1]
mean 5 LDA weight 0.43 predicts [1;1;1;2;2;2]
mean 5 SVM:LIN1 weight 5.28 predicts [1;2;2;2;2;2]
mean 5 SVM:LIN2 weight 5.25 predicts [1;2;2;2;2;2]
SEEN
echo "as described"
