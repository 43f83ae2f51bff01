/* Runs of every relay with every rule and mechanism on small records, to a file of doubles:
 * what tools/compilers compares. */
#include "random/mechanism.h"
#include "setting.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static setting one;
static results out;

int main(int count, char **argument) {
  FILE *file = count > 1 ? fopen(argument[1], "wb") : NULL;
  int ok = file != NULL;
  for (size_t r = 0; ok && r < dpa_relays_count; r++)
    FOR_RULES(dpa_relays[r], rule) {
      for (size_t m = 0; m < dpa_mechanisms_count; m++) {
        memset(&out, 0, sizeof out);
        setting_make(&one, dpa_relays[r], dpa_rules[rule], dpa_mechanisms[m], PARTIES, EVERYONE);
        setting_run(&one, &out);
        ok = ok && fwrite(&out, offsetof(results, sent), 1, file) == 1;
      }
    }
  return !(ok && fclose(file) == 0);
}
