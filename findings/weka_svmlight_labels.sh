#!/bin/sh
# Weka 3.6.14 (it needs Java): SVMLightSaver writes the first of two class labels as 1 and the second as -1, whatever
# they say: where a file declares {-1,+1}, the labels are exchanged, silently. SVMLightLoader declares {+1,-1}.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get --quiet=2 --option APT::Sandbox::User=root download weka=3.6.14-3
for archive in *.deb; do dpkg -x "$archive" .; done
for labels in "+1,-1" "-1,+1"; do
  printf '@relation r\n@attribute x numeric\n@attribute class {%s}\n@data\n10,+1\n20,-1\n' "$labels" >table.arff
  java -cp usr/share/java/weka-3.6.14.jar weka.core.converters.SVMLightSaver -i table.arff -o table.dat -c last 2>/dev/null
  printf '{%s}\n' "$labels"
  cat table.dat
done >seen
diff "$folder/seen" - <<'SEEN'
{+1,-1}
1 1:10.0
-1 1:20.0
{-1,+1}
-1 1:10.0
1 1:20.0
SEEN
echo "as described"
