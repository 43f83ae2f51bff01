#include "noise.h"
#include "update.h"

const dpa_mechanism dpa_mechanisms[] = {
    {"gamma", dpa_noise_gamma},
    {"gaussian", dpa_noise_gaussian},
};
const size_t dpa_mechanisms_count = sizeof dpa_mechanisms / sizeof *dpa_mechanisms;
