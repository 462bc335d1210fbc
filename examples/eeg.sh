#!/bin/sh
# eeg.sh FILE.npz [RATE [BANDS]] - EEG trials: filter, describe by covariances, and test each
# subject by what the others have taught.
#
#   FILE.npz   X (trials x channels x times), y (labels), subject (one per trial);
#              examples/make_eeg.py writes such a file
#   RATE       samples per second, 128 unless given
#   BANDS      pass bands in Hz, 8-12 unless given; 8-12,18-26 stacks two
# Writes covs.npz to the current folder.
set -eu
test $# -gt 0 || {
    echo "usage: eeg.sh FILE.npz [RATE [BANDS]]" >&2
    exit 2
}
spdml describe covariance "$1" --channels-first --rate "${2:-128}" --bands "${3:-8-12}" \
    --shrinkage oas -o covs.npz
spdml info covs.npz

echo "Subjects as they are:"
spdml evaluate covs.npz --methods mdm-airm,ts-lda --leave-one-group-out subject
echo
echo "Each subject moved to the identity by its own mean:"
spdml evaluate covs.npz --methods mdm-airm,ts-lda --leave-one-group-out subject --recenter subject
