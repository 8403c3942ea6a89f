#!/bin/sh
# ml-sparse-matrix 3.1.0 (npm): the elementwise product of two sparse matrices keeps the entries where the other
# is 0, silently: it goes over the entries of the other. Its functions, as exp, go over the entries that are
# stored, too.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent ml-sparse-matrix@3.1.0
node - >"$folder/seen" <<'PROGRAM'
const { SparseMatrix } = require("ml-sparse-matrix");
const told = (matrix) => JSON.stringify(matrix.to2DArray());
const A = () => new SparseMatrix([[1, 0], [3, 2]]);
const B = new SparseMatrix([[0, 5], [4, 0]]);
console.log("A", told(A()), "B", told(B));
console.log("product", told(A().mul(B)), "where it is", JSON.stringify([[0, 0], [12, 0]]));
console.log("exp", told(A().exp().mul(1)).replace(/(\.\d\d)\d+/g, "$1"));
PROGRAM
diff "$folder/seen" - <<'SEEN'
A [[1,0],[3,2]] B [[0,5],[4,0]]
product [[1,0],[12,2]] where it is [[0,0],[12,0]]
exp [[2.71,0],[20.08,7.38]]
SEEN
echo "as described"
